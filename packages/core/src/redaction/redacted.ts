/** The placeholder for a secret. All packages use the same one, so that one search finds all occurrences. */
export const REDACTED = '[secret]'
