/** The headers that the option `headers` adds to an attempt. */
import { headers, RESERVED_HEADERS } from '@brokerwire/core/internal'
import { optionInvalid } from '../streams-error.ts'

/** @throws The error that `fail` creates; StreamsError `STREAM_OPTION_INVALID` for a header that this package sets. */
export const additionalHeaders = headers(
  [
    ...RESERVED_HEADERS,
    { reason: 'set the option accessTokens', names: ['x-access-token'] },
    { reason: 'it follows from the address of the service', names: ['host'] },
    {
      reason: 'the transport sets it',
      names: ['content-type', 'grpc-timeout', 'grpc-encoding', 'grpc-accept-encoding'],
    },
  ],
  (option, _header, reason) =>
    optionInvalid(option, 'undefined', 'a value', `${option} must not be set: ${reason}`),
)
