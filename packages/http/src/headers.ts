/** The headers that the caller adds to a request: those of the request, and those of the option `headers` of the client. */
import { headers as headersSchema, RESERVED_HEADERS } from '@brokerwire/core/internal'
import { HttpError } from './http-error.ts'

/** @throws {@link HttpError} `HTTP_HEADER_FORBIDDEN`, and the error that `fail` creates. */
export const headers = /* @__PURE__ */ headersSchema(
  [
    ...RESERVED_HEADERS,
    { reason: 'set the option apiVersion', names: ['x-version'] },
    { reason: 'set the option accessToken', names: ['x-access-token'] },
    { reason: 'it follows from baseUrl', names: ['host'] },
  ],
  (option, header, reason) =>
    new HttpError('HTTP_HEADER_FORBIDDEN', `${option} must not be set: ${reason}`, {
      details: { header, reason },
    }),
)
