/**
 * The size budgets in gzipped bytes: the measured size plus ten percent, rounded up to the next 100. Raising
 * a budget changes one line here, and needs a reason.
 *
 * The schemas of options, with their messages and suggestions, are about 500 bytes of each bundle of the
 * signer. The check that rejects values which JSON cannot represent, with the path of the value, is about 700
 * bytes of each bundle of the HTTP client.
 */
const SIGNER = { signer: 'createSigner' }
const SIGNED = { http: 'createHttpClient', ...SIGNER }

/** Imported names by package or entry, and the budget. */
export const BUDGETS: readonly (readonly [imports: Readonly<Record<string, string>>, maxBytes: number])[] = [
  [SIGNER, 5_200],
  [{ signer: 'createSigner, fromUrl' }, 5_600],
  [{ signer: 'createSigner, signRequest' }, 6_500],
  [{ ...SIGNER, 'signer/fetch': 'createSignedFetch' }, 8_000],
  [{ signer: 'canonicalString' }, 1_000],
  [{ signer: 'createVerifier' }, 6_700],
  [{ signer: 'explain' }, 4_600],
  [{ signer: 'compare' }, 7_700],
  [{ 'signer/grpc': 'createGrpcSigningInterceptor' }, 3_300],
  [{ payloads: 'positionEvent' }, 2_600],
  [{ payloads: 'decodeJson, positionEvent' }, 5_200],
  [{ payloads: 'payloads' }, 10_400],
  // Requests of operations add about 500 bytes: their options, their limiter and the explanation of a 404.
  [SIGNED, 16_700],
  [{ ...SIGNED, operations: 'listAccounts' }, 22_400],
  [{ ...SIGNED, operations: 'placeOrder' }, 24_200],
  [{ ...SIGNED, orders: 'createOrderJournal' }, 34_500],
  [{ ...SIGNED, orders: 'createOrderBackfill' }, 29_000],
  [{ ...SIGNED, 'core/endpoints': 'resolveEndpoint' }, 16_500],
  [{ ...SIGNED, quotes: 'createQuotes' }, 36_400],
  [{ 'edge/stored-token': 'createStoredTokenClient' }, 17_000],
  // The whole package may have 5 kB.
  [{ otel: 'createTelemetry' }, 5_000],
  [{ edge: 'createBrokerage' }, 34_000],
  [{ edge: 'createBrokerage, clientTokens, rateLimiter' }, 36_400],
]
