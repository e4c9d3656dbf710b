/** What an observer is told. Plain functions that cannot steer: what they throw is swallowed. */
import type { QuotesNotice } from './notices.ts'

/** An observer of market data. Every function is optional. */
export interface QuotesObserver {
  /** A connection entered a phase: `idle`, `opening`, `live`, `waiting`, `ended`. */
  onState?(report: { readonly connection: number; readonly phase: string; readonly attempt: number }): void
  /** A notice, gaps among them, was put among the items. */
  onNotice?(report: { readonly notice: QuotesNotice }): void
}
