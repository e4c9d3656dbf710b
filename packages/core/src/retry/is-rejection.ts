/** Decides whether a failed request had no effect, because the service rejected it. */
import type { BrokerwireError } from '../error.ts'

/** Codes of `@brokerwire/http` for responses with which the service rejects a request. */
const REJECTIONS: ReadonlySet<string> = new Set([
  'HTTP_BUSINESS_ERROR',
  'HTTP_UNAUTHORIZED',
  'HTTP_CLOCK_IMPLAUSIBLE',
  'HTTP_FORBIDDEN',
  'HTTP_RATE_LIMITED',
  'HTTP_CLIENT_ERROR',
])
/** Statuses of proxies that may have forwarded the request. */
const PROXY_STATUSES: ReadonlySet<unknown> = new Set([408, 499])
/** Codes with which the service reports its own failure. They do not state whether the request had an effect. */
const UNCLEAR_CODE = /(?:^|_)(?:SYSTEM|SERVER|SERVICE)_ERROR$/

/** Whether an error of a request that was sent shows that the service rejected it. Otherwise the effect is unknown. */
export function isRejection({ code, details }: BrokerwireError): boolean {
  const { status, serviceCode, sentOnce } = details
  // The host may have sent the request twice. In this case, the response may be the one to the second request.
  if (!REJECTIONS.has(code) || PROXY_STATUSES.has(status) || sentOnce === false) return false
  return typeof serviceCode === 'string' ? !UNCLEAR_CODE.test(serviceCode) : code !== 'HTTP_BUSINESS_ERROR'
}
