/** An example of the workbench as the part of an address that never leaves the browser. It never holds the secret. */

/** What is signed. */
export interface Example {
  readonly method: string
  readonly url: string
  readonly body: string
  readonly appKey: string
  readonly algorithm: 'HMAC-SHA1' | 'HMAC-SHA256'
  /** Empty: drawn, and now. */
  readonly nonce: string
  readonly timestamp: string
}

const FIRST_EXAMPLE: Example = {
  method: 'POST',
  url: 'https://api.example.com/openapi/orders?page=2&symbol=AAPL',
  body: '{"symbol":"AAPL","side":"BUY"}',
  appKey: 'example-key',
  algorithm: 'HMAC-SHA1',
  nonce: '0123456789abcdef0123456789abcdef',
  timestamp: '2026-01-31T14:05:09Z',
}

const NAMES = Object.keys(FIRST_EXAMPLE) as (keyof Example)[]

/** The part behind `#/workbench?`. */
export function exampleQuery(example: Example): string {
  return new URLSearchParams(NAMES.map((name) => [name, example[name]])).toString()
}

/** Reads it; what is missing is as in the first example, what is unknown is left out. */
export function readExample(query: string): Example {
  const given = new URLSearchParams(query)
  const read = Object.fromEntries(NAMES.map((name) => [name, given.get(name) ?? FIRST_EXAMPLE[name]]))
  const algorithm = read.algorithm === 'HMAC-SHA256' ? 'HMAC-SHA256' : 'HMAC-SHA1'
  return { ...(read as unknown as Example), algorithm }
}
