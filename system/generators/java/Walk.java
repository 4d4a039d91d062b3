import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.KeyRequestsClassicApi;
import org.openapitools.client.api.VerificationApi;
import org.openapitools.client.auth.ApiKeyAuth;
import org.openapitools.client.model.CredentialQuestion;
import org.openapitools.client.model.KeyRequestInput;

/**
 * Asks for a key by the client of openapi-generator for Java, approves the key request and has the
 * key verified.
 */
public class Walk {
  public static void main(String[] arguments) throws ApiException {
    var client = new ApiClient().setBasePath(System.getenv("DESK_URL"));
    var credential = (ApiKeyAuth) client.getAuthentication("credential");
    credential.setApiKey(System.getenv("DESK_CREDENTIAL"));
    var requests = new KeyRequestsClassicApi(client);

    var body = new KeyRequestInput().byUser("dev-ada").forPlan(System.getenv("DESK_PLAN"));
    var created = requests.createClassicKeyRequest(body, null);
    var read = requests.getClassicKeyRequest(created.getMessage());
    var approved = requests.approveClassicKeyRequest(created.getMessage(), null, null, null, null);
    var question = new CredentialQuestion().key(approved.getRawKey());
    var verdict = new VerificationApi(client).verifyKey(question, null);
    var isValid = verdict.getAcceptedCredential().getValid();
    int status = 0;
    try {
      requests.getClassicKeyRequest("absent");
    } catch (ApiException refused) {
      status = refused.getCode();
    }
    System.out.println(read.getByUser() + " " + read.getForPlan() + " " + isValid + " " + status);
  }
}
