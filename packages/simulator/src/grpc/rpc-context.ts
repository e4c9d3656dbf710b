/**
 * The part of an RPC that the transport knows before the message is parsed. The transport passes it to the
 * services.
 */
import { type ContextKey, createContextKey } from '@connectrpc/connect'
import type { RequestDiagnosis, RequestedSubscription } from '../request-log.ts'
import type { SubscriptionControl } from './subscription.ts'

/** Result of the signature check. */
export type RpcAuth =
  | { readonly ok: true; readonly appKey: string; readonly diagnosis?: RequestDiagnosis | undefined }
  | {
      readonly ok: false
      readonly code: string
      readonly message: string
      readonly diagnosis?: RequestDiagnosis | undefined
    }

/** One RPC. */
export interface RpcContext {
  readonly auth: RpcAuth
  readonly requestId: string
  /** Time of the request: the clock is read once, after the whole request was received. */
  readonly nowMs: number
  /** Id of the connection, from `getConnectionName`. */
  readonly connection: string
  /** Whether the client has disconnected. */
  readonly closed: boolean
  /**
   * Registers a callback for the end of the HTTP/2 stream. It is called no matter which side closes the
   * stream.
   */
  onClose(callback: () => void): void
  /** Sets the subscription of this RPC. */
  attach(control: SubscriptionControl): void
  /** Ends the HTTP/2 stream with RST_STREAM. */
  reset(http2Code: number): void
  /** Destroys the connection of this RPC. */
  disconnect(): void
  /** Sends GOAWAY on the connection of this RPC; its streams continue. */
  goaway(): void
  /** Adds the request to the log. @param errorCode - `undefined` if the request was accepted. */
  log(entry: {
    readonly errorCode: string | undefined
    readonly subscription: RequestedSubscription | undefined
  }): void
}

/** Key of the RPC in the context values that a service receives. */
export const RPC_CONTEXT: ContextKey<RpcContext | undefined> = createContextKey<RpcContext | undefined>(
  undefined,
  { description: 'simulator rpc' },
)
