/** What a failed RPC says, free of anything secret. */
import { ConnectError } from '@connectrpc/connect'
import { type GrpcStatus, grpcStatusName } from '../supervisor/status.ts'

/** A failure as data. The error itself is not kept: its message may quote what was sent. */
export interface RpcFailure {
  readonly status: GrpcStatus
  readonly serverMessage: string | undefined
}

const MAX_MESSAGE = 200

/**
 * @param sent - Texts that must not be shown: signature, nonce, token. A service that echoes them is masked.
 */
export function describeFailure(error: unknown, sent: readonly string[]): RpcFailure {
  const connectError = ConnectError.from(error)
  let text = connectError.rawMessage
  for (const secret of sent) if (secret !== '') text = text.replaceAll(secret, '[hidden]')
  const printable = text.replace(/\p{Cc}/gu, ' ').slice(0, MAX_MESSAGE)
  return {
    status: grpcStatusName(connectError.code),
    serverMessage: printable === '' ? undefined : printable,
  }
}
