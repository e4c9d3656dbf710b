/** The messages that the server sends in a run, and the report of a client. */

/**
 * `permsg` sends one DATA frame for each message. `packed` sends frames of 16 KiB that do not end where
 * messages end.
 */
export type Shape = 'permsg' | 'packed'

/** Order events, or events of several modules. */
export type Service = 'trade' | 'module'

export type Plan =
  /** Blocks, sent as fast as windows and socket allow. */
  | {
      readonly kind: 'blast'
      readonly shape: Shape
      readonly service: Service
      readonly blocks: number
    }
  /** Messages at a fixed rate, one DATA frame each. */
  | {
      readonly kind: 'paced'
      readonly perSecond: number
      readonly messages: number
      /** Milliseconds between two writes. */
      readonly intervalMs: number
    }
  /** Single messages. The number of each is the time at which it is sent. */
  | { readonly kind: 'single'; readonly messages: number; readonly intervalMs: number }

/** Flow-control windows for clients that can enlarge them: the default of our transport. */
export const WINDOW_BYTES = 1024 * 1024

/** Number of digits at the end of a message's id, which differ in every message of a stream. */
export const NUMBER_DIGITS = 9

/**
 * Microseconds of the monotonic clock that all processes of a machine share, limited to `NUMBER_DIGITS`
 * digits.
 */
export const clockUs = (): number => Number((process.hrtime.bigint() / 1000n) % BigInt(10 ** NUMBER_DIGITS))
