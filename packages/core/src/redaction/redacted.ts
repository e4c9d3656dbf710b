/** The placeholder for a secret. All packages use it, so that one search finds all places. */
export const REDACTED = '[secret]'
