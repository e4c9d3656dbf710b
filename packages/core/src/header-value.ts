/** Visible ASCII, blanks only inside: what a header carries unchanged on every host. */
export const HEADER_VALUE = /^[!-~](?:[ -~]*[!-~])?$/
