//! Asks for a key by the client of progenitor, approves the key request and has the key verified.

use std::env::var;

progenitor::generate_api!("desk-3.0.json");

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut headers = reqwest::header::HeaderMap::new();
    headers.insert("authorization", var("DESK_CREDENTIAL")?.parse()?);
    let calls = reqwest::Client::builder().default_headers(headers).build()?;
    let client = Client::new_with_client(&var("DESK_URL")?, calls);
    let body = types::KeyRequestInput {
        by_user: Some("dev-ada".parse()?),
        for_plan: Some(var("DESK_PLAN")?.parse()?),
        ..Default::default()
    };
    let id = client.create_classic_key_request(None, &body).await?.into_inner().message;
    let read = client.get_classic_key_request(&id.parse()?).await?.into_inner();
    let nothing = serde_json::Value::Null;
    let approved = client.approve_classic_key_request(&id.parse()?, None, None, None, &nothing).await?;
    let question = types::CredentialQuestion {
        key: Some(approved.raw_key.clone()),
        ..Default::default()
    };
    let verdict = client.verify_key(None, &question).await?.into_inner();
    let is_valid = matches!(verdict, types::VerifyKeyResponse::AcceptedCredential(_));
    let absent = client.get_classic_key_request(&"absent".parse()?).await;
    let status = match absent {
        Err(Error::UnexpectedResponse(answer)) => answer.status().as_u16(),
        _ => 200,
    };
    println!("{} {} {is_valid} {status}", read.by_user, read.for_plan);
    Ok(())
}
