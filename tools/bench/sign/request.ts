/** The requests that every case signs: a GET with three query parameters, and a POST of 64 KiB. */
export const APP_KEY = '776da210ab4a452795d74e726ebd74b6'
export const APP_SECRET = '0f50a2e853334a9aae1a783bee120c1f'
export const HOST = 'api.example.com'
export const PATH = '/openapi/account/positions'
export const QUERY: readonly (readonly [string, string])[] = [
  ['account_id', 'ABC123'],
  ['page_size', '50'],
  ['last_id', 'x y/z'],
]
/**
 * The GET in the form that smithy expects. Callers create this object for each request, so its creation is
 * measured.
 */
export const smithyRequest = () => ({
  method: 'GET',
  protocol: 'https:',
  hostname: HOST,
  path: PATH,
  headers: { host: HOST },
  query: Object.fromEntries(QUERY),
})
/** The query of the GET as a string, for the other signers. */
export const SEARCH = new URLSearchParams(Object.fromEntries(QUERY)).toString()
export const URL_TEXT = `https://${HOST}${PATH}?${SEARCH}`
export const AWS_CREDENTIALS = { accessKeyId: APP_KEY, secretAccessKey: APP_SECRET }
export const BODY_BYTES = 65_536
