/** What `pnpm check:sizes` holds: imports whose weight is promised, and how many files of ours an import reads in Node. */

export interface Limit {
  readonly from: string
  /** What is imported together. */
  readonly names: string
  /** What is imported besides, by package. */
  readonly besides?: Readonly<Record<string, string>>
  readonly maxBytes: number
}

export const SCOPE = '@brokerwire'
const SIGNER = `${SCOPE}/signer`
const PAYLOADS = `${SCOPE}/payloads`
const HTTP = `${SCOPE}/http`
const WITH_SIGNER = { [SIGNER]: 'createSigner' }

/** The table: one line for each import whose size is promised, and for what is used together. */
export const LIMITS: readonly Limit[] = [
  { from: SIGNER, names: 'createSigner', maxBytes: 3_465 },
  // A Worker that signs, whole: of a URL, and of a `Request`.
  { from: SIGNER, names: 'createSigner, fromUrl', maxBytes: 3_845 },
  { from: SIGNER, names: 'createSigner, signRequest', maxBytes: 4_640 },
  { from: SIGNER, names: 'canonicalString', maxBytes: 600 },
  { from: SIGNER, names: 'createVerifier', maxBytes: 5_640 },
  { from: SIGNER, names: 'explain', maxBytes: 3_390 },
  { from: SIGNER, names: 'compare', maxBytes: 6_150 },
  { from: PAYLOADS, names: 'positionEvent', maxBytes: 2_000 },
  // With what reads the text of an event.
  { from: PAYLOADS, names: 'decodeJson, positionEvent', maxBytes: 4_320 },
  { from: PAYLOADS, names: 'payloads', maxBytes: 9_480 },
  // Signed requests: 11,500 bytes is the goal.
  { from: HTTP, names: 'createHttpClient', besides: WITH_SIGNER, maxBytes: 11_500 },
  {
    from: HTTP,
    names: 'createHttpClient',
    besides: { ...WITH_SIGNER, [`${SCOPE}/core/endpoints`]: 'resolveEndpoint' },
    // With the hosts of market data, which are never named apart from their HTTP host.
    maxBytes: 12_015,
  },
  // Market data, whole, with the signed calls that subscribe: the goal is 22,000 bytes.
  {
    from: `${SCOPE}/quotes`,
    names: 'createQuotes',
    besides: { ...WITH_SIGNER, [HTTP]: 'createHttpClient' },
    maxBytes: 29_565,
  },
  // A token that somebody else keeps, with endpoints: the goal is 12,500 bytes. The service's clock is a value that is handed over.
  { from: `${SCOPE}/edge/kept-token`, names: 'createKeptTokenClient', maxBytes: 12_355 },
  // The goal is 25,500 bytes; then with all that a Worker can have but the streams.
  { from: `${SCOPE}/edge`, names: 'createBrokerage', maxBytes: 25_040 },
  {
    from: `${SCOPE}/edge`,
    names: 'createBrokerage',
    besides: { [`${SCOPE}/tokens`]: 'createClientTokens, createTokenRateLimiter' },
    maxBytes: 28_485,
  },
]

/** How many files of ours an import reads in Node. */
export const MAX_FILES: Readonly<Record<string, number>> = {
  [SIGNER]: 5,
  [`${SIGNER}/sync`]: 6,
  [HTTP]: 5,
  [PAYLOADS]: 3,
  [`${SCOPE}/tokens`]: 4,
  [`${SCOPE}/streams/transport`]: 4,
  [`${SCOPE}/streams`]: 7,
  [`${SCOPE}/edge`]: 13,
}
