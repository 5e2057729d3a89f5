# Functions for operators, for bash and zsh: `. docs/operate/shell.sh prod` in the folder of the repository. They need version 2
# of the AWS CLI, and the usual AWS variables.

# The name of the deployment: its stage, or its --name and its stage, such as shop2-prod.
DEPLOYMENT=${1:-prod}

# Lets zsh take comments and lists of words as bash does.
[ -z "$ZSH_VERSION" ] || setopt interactive_comments sh_word_split

# Prints parts of the saved queries whose names begin with a text.
queries() {
  aws logs describe-query-definitions --query-definition-name-prefix "remit-$DEPLOYMENT/$1" --query "$2" --output text
}

# Prints what a saved query finds in the last hour, or in the last HOURS: saved "failed requests"
saved() {
  for ID in $(queries "$1" 'queryDefinitions[].queryDefinitionId'); do
    QUERY=$(aws logs start-query --start-time $(($(date +%s) - 3600 * ${HOURS:-1})) --end-time $(date +%s) --output text --query queryId \
      --log-group-names $(queries "$1" "queryDefinitions[?queryDefinitionId=='$ID'].logGroupNames[]") \
      --query-string "$(queries "$1" "queryDefinitions[?queryDefinitionId=='$ID'].queryString")")
    while aws logs get-query-results --query-id "$QUERY" --query status | grep -qE 'Scheduled|Running'; do sleep 1; done
    aws logs get-query-results --query-id "$QUERY" --query 'results[*][*].value' --output text
  done
}

# Prints the log lines of the last hour, or of the last HOURS, that match a filter pattern. They are those of all functions, or of
# those with a text in their names: HOURS=24 logs '"Task timed out"' Sweep
logs() {
  aws logs describe-log-groups --log-group-name-pattern "remit-$DEPLOYMENT-" --query 'logGroups[].[logGroupName]' --output text |
    grep "${2:-remit}" |
    xargs -P 8 -I LOG_GROUP aws logs filter-log-events --log-group-name LOG_GROUP --start-time $(($(date +%s) - 3600 * ${HOURS:-1}))000 \
      --filter-pattern "$1" --query 'events[].[message]' --output text
}

# Prints the account, the mode and the status of an invoice, a payment, a refund or a checkout: owner_of inv_0123
owner_of() {
  aws dynamodb get-item --key "{\"pk\":{\"S\":\"$1\"},\"sk\":{\"S\":\"RECORD\"}}" --output text \
    --query 'Item.[account.S,mode.S,status.S]' --table-name "$(aws cloudformation describe-stacks --output text \
    --stack-name "remit-$DEPLOYMENT-stateful" --query "Stacks[0].Outputs[?OutputKey=='TableName'].OutputValue")"
}

# Shows, stops or starts the background work, which rules and event source mappings call: background show
background() {
  RULES=$(background_ids AWS::Events::Rule)
  MAPPINGS=$(background_ids AWS::Lambda::EventSourceMapping)
  case $1 in
    show)
      for ID in $RULES; do aws events describe-rule --name "$ID" --query '[State,Name]' --output text; done
      for ID in $MAPPINGS; do
        aws lambda get-event-source-mapping --uuid "$ID" --query '[State,FunctionArn,LastProcessingResult]' --output text
      done ;;
    stop)
      for ID in $RULES; do aws events disable-rule --name "$ID"; done
      for ID in $MAPPINGS; do aws lambda update-event-source-mapping --uuid "$ID" --no-enabled; done ;;
    start)
      for ID in $MAPPINGS; do aws lambda update-event-source-mapping --uuid "$ID" --enabled; done
      for ID in $RULES; do aws events enable-rule --name "$ID"; done ;;
    *) echo 'background show, background stop or background start' >&2 ;;
  esac
}

# Prints the ids of the rules or mappings in the stacks with background work, of which the one of the canary need not exist.
background_ids() {
  for STACK in $(aws cloudformation describe-stacks --output text --query \
    "Stacks[?StackName=='remit-$DEPLOYMENT-stateless' || StackName=='remit-$DEPLOYMENT-canary'].StackName"); do
    aws cloudformation list-stack-resources --stack-name "$STACK" --output text \
      --query "StackResourceSummaries[?ResourceType=='$1'].PhysicalResourceId"
  done
}
