/** Formats of a captured request, as `--format` names them. Read on every start, so it imports nothing. */
export const REQUEST_FORMATS = ['json', 'http', 'curl', 'har'] as const

/** One of them. */
export type RequestFormat = (typeof REQUEST_FORMATS)[number]
