"""Anthropic's codes for its own compaction, in our words."""

COMPACTION_ERRORS = {
    "compaction_block_ambiguous": "the list holds more than one compaction: send only the newest",
    "compaction_block_misplaced": "a signed compaction must be the first block of all messages",
    "compaction_content_mismatch": "the text of a signed compaction was changed",
    "compaction_incomplete_turn": "a compaction cannot end on a reply that is not finished",
    "compaction_nothing_to_summarize": "there is nothing to compact",
    "compaction_signature_invalid": "the signature of a compaction does not verify",
    "compaction_too_many_tool_references": "a compaction cannot record that many tools",
    "compaction_tool_changes_mismatch": "the tool changes of a compaction were changed",
    "compaction_unavailable": "the provider could not compact just now",
}
