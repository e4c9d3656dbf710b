/**
 * Shorter texts are no secrets of the service. They are not removed from this program's own messages, where the gap
 * would reveal them. The libraries remove secrets of any length from the service's texts.
 */
export const MIN_SECRET_LENGTH = 8
