/** The observer of market data. Errors of its functions are ignored. */
import type { QuotesNotice } from './notices.ts'

/** An observer of market data. Every function is optional. */
export interface QuotesObserver {
  /** A connection entered a phase: `idle`, `opening`, `live`, `waiting`, `ended`. */
  onState?(report: {
    /** Number of the connection, from 1. */
    readonly connection: number
    /** The phase that the connection entered. */
    readonly phase: string
    /** Number of the current or last attempt. */
    readonly attempt: number
  }): void
  /** A notice was added to the items. */
  onNotice?(report: {
    /** The notice, as the consumer gets it. */
    readonly notice: QuotesNotice
  }): void
}
