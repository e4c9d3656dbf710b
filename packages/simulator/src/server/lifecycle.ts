/** Whether a simulator serves, drains or is closed. It goes through these states in this order, and never back. */
import { SimulatorError } from '../simulator-error.ts'

export class Lifecycle {
  #state: 'serving' | 'draining' | 'closed' = 'serving'

  /** Whether new requests and connections are accepted. */
  get isServing(): boolean {
    return this.#state === 'serving'
  }

  /** After `drain()`: requests that are under way are still answered. */
  drain(): void {
    if (this.#state === 'serving') this.#state = 'draining'
  }

  close(): void {
    this.#state = 'closed'
  }

  /** @param method - For the error. @throws SimulatorError `SIMULATOR_CLOSED` */
  readonly requireOpen = (method: string): void => {
    if (this.#state !== 'closed') return
    throw new SimulatorError('SIMULATOR_CLOSED', `${method}: the simulator is closed`, {
      details: { method },
    })
  }
}
