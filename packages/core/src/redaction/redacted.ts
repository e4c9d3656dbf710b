/** What stands where a secret was: one placeholder for the house, so that one search finds each place. */
export const REDACTED = '[secret]'
