/**
 * What differs between the runtimes when a request is sent: how a host's `fetch` is kept from sending it twice, and how its
 * failures are read. `#host` stands for the file that a runtime's conditions pick.
 */
import type { FetchInit } from '@brokerwire/core'
import type { AbortControllerLike } from '@brokerwire/core/internal'

/** What `fetch` is told besides the request, or in the place of what it says. */
export type Sending = Pick<FetchInit, 'dispatcher' | 'client' | 'keepalive'> &
  Partial<Pick<FetchInit, 'signal'>>

/** One sending. */
export interface SingleSend {
  /** Given to `fetch` besides the request. */
  readonly init?: Sending | undefined
  /** Whether it is known that the host sent the request at most once. */
  isCertain(): boolean
  /** The status that the service sent, from the one that the host shows. */
  statusOf(shown: number): number
  /**
   * What ends the request, where that takes no signal of the host: one that is made for a request, and listened to, takes
   * Node more than a tenth of it.
   */
  readonly controller?: AbortControllerLike | undefined
  /** Gives back what was made for this sending. */
  readonly release?: (() => void) | undefined
}

/** What may be read of a failure. */
export interface HostFailure {
  readonly code?: unknown
  readonly syscall?: unknown
  readonly message?: unknown
}
