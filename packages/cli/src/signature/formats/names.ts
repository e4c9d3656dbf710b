/** Values of `--format`. This file is loaded at every start, so it imports nothing. */
export const REQUEST_FORMATS = ['json', 'http', 'curl', 'har'] as const

/** A format of captured requests. */
export type RequestFormat = (typeof REQUEST_FORMATS)[number]
