/** What the transport knows of an RPC before its message was parsed; handed to the services. */
import { type ContextKey, createContextKey } from '@connectrpc/connect'
import type { RequestDiagnosis, RequestedSubscription } from '../request-log.ts'
import type { SubscriptionControl } from './subscription.ts'

/** Whether the request's signature was right. */
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
  /** The request's instant: one reading of the clock, once it was received whole. */
  readonly nowMs: number
  /** The connection that carries it, as `connectionOf` names it. */
  readonly connection: string
  /** Whether the client has left already. */
  readonly closed: boolean
  /** Calls back when the HTTP/2 stream is gone, whichever side ended it. */
  onClose(callback: () => void): void
  /** Names the subscription whose frames this RPC carries. */
  attach(control: SubscriptionControl): void
  /** Ends the HTTP/2 stream with RST_STREAM. */
  reset(http2Code: number): void
  /** Breaks the connection that carries it, without a word. */
  disconnect(): void
  /** Sends GOAWAY on that connection; its streams go on. */
  goaway(): void
  /** Writes the request into the log. @param errorCode - `undefined`: it passed. */
  log(entry: {
    readonly errorCode: string | undefined
    readonly subscription: RequestedSubscription | undefined
  }): void
}

/** Where the services find it. */
export const RPC_CONTEXT: ContextKey<RpcContext | undefined> = createContextKey<RpcContext | undefined>(
  undefined,
  { description: 'simulator rpc' },
)
