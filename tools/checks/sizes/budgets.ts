/**
 * The size budgets in gzipped bytes: the measured size plus ten percent, rounded up to the next 100. Raising one is a line
 * with a reason.
 */
const SIGNER = { signer: 'createSigner' }
const SIGNED = { http: 'createHttpClient', ...SIGNER }
const TOKENS = { tokens: 'createClientTokens, createTokenRateLimiter' }

/** Names by the package or entry that they are imported from, and the budget. */
export const BUDGETS: readonly (readonly [imports: Readonly<Record<string, string>>, maxBytes: number])[] = [
  [SIGNER, 3_900],
  [{ signer: 'createSigner, fromUrl' }, 4_300],
  [{ signer: 'createSigner, signRequest' }, 5_200],
  [{ signer: 'canonicalString' }, 700],
  [{ signer: 'createVerifier' }, 6_300],
  [{ signer: 'explain' }, 3_800],
  [{ signer: 'compare' }, 6_800],
  [{ payloads: 'positionEvent' }, 2_100],
  [{ payloads: 'decodeJson, positionEvent' }, 4_700],
  [{ payloads: 'payloads' }, 10_400],
  [SIGNED, 12_700],
  [{ ...SIGNED, 'core/endpoints': 'resolveEndpoint' }, 13_300],
  [{ ...SIGNED, quotes: 'createQuotes' }, 32_400],
  [{ 'edge/kept-token': 'createKeptTokenClient' }, 13_600],
  [{ edge: 'createBrokerage' }, 27_600],
  [{ edge: 'createBrokerage', ...TOKENS }, 31_400],
]
