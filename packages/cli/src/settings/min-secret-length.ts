/**
 * Minimum length of a secret that is removed from this program's own messages. Shorter strings are not
 * secrets of the service. The wording of these messages is public, so a short string could be guessed from
 * its position. The libraries remove secrets of any length from the service's messages.
 */
export const MIN_SECRET_LENGTH = 8
