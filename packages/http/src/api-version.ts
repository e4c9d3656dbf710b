/** The API version of a request. The client sends it as `x-version` (specification, "Versioning"). */
export type ApiVersion = 'v2' | 'v3'
