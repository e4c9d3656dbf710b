/** The observer of market data. Errors of its functions are ignored. */
import type { QuotesNotice } from './notices.ts'

/** An observer of market data. Every function is optional. */
export interface QuotesObserver {
  /** A connection entered a phase: `idle`, `opening`, `live`, `waiting`, `ended`. */
  onState?(report: { readonly connection: number; readonly phase: string; readonly attempt: number }): void
  /** A notice was added to the items. */
  onNotice?(report: { readonly notice: QuotesNotice }): void
}
