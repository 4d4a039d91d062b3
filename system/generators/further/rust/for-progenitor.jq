# Of a document that openapi-down-convert made: what progenitor reads.
def nullable: map(select(. != {type: "null"})) as $rest
  | if ($rest | length) > 1 then {anyOf: $rest}
    elif $rest[0] | has("$ref") then {allOf: $rest}
    else $rest[0] end
  | . + {nullable: true};
walk(
  if type != "object" then .
  elif has("anyOf") and (.anyOf | type == "array" and any(. == {type: "null"}))
  then del(.anyOf) + (.anyOf | nullable)
  elif (.not? | type) == "object" and (.not | has("const"))
  then del(.not) + {enum: [.not.const | not]}
  # Both of a plan's ids would be one name; they are the same.
  elif (.properties? | type) == "object" and (.properties | has("_id") and has("id"))
  then del(.properties._id, .additionalProperties)
    | if has("required") then .required -= ["_id"] else . end
  else . end)
# Several types of one body are not read, nor files of certificates.
| .paths |= map_values(
    map_values(select(.operationId | test("^upload(Bundle|Certificates?)$") | not)
      # Answers of several types are not read: those that are refused come as they are.
      | .responses |= with_entries(select(.key | startswith("2"))))
    | select(. != {}))
