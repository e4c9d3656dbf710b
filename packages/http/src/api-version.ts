/** Selects the API version: sent as `x-version` (specification, "Versioning"). */
export type ApiVersion = 'v2' | 'v3'
