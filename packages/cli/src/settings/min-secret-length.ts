/**
 * Shorter texts are no secrets of the service. They are not taken out of lines that this program composes: the gap in a known
 * sentence would reveal them. Text of a service is another matter: the libraries take any secret out of it.
 */
export const MIN_SECRET_LENGTH = 8
