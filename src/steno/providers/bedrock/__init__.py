"""Amazon Bedrock: messages of the Converse API."""
