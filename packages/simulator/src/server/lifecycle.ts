/** The state of a simulator: serving, draining or closed. The state changes only in this order. */
import { SimulatorError } from '../simulator-error.ts'

export class Lifecycle {
  #state: 'serving' | 'draining' | 'closed' = 'serving'

  /** Whether new requests and connections are accepted. */
  get isServing(): boolean {
    return this.#state === 'serving'
  }

  /** Stops accepting requests. Requests that are in progress still get a response. */
  drain(): void {
    if (this.#state === 'serving') this.#state = 'draining'
  }

  close(): void {
    this.#state = 'closed'
  }

  /**
   * @param method - Name of the called method. The error contains it.
   * @throws SimulatorError `SIMULATOR_CLOSED`
   */
  readonly requireOpen = (method: string): void => {
    if (this.#state !== 'closed') return
    throw new SimulatorError('SIMULATOR_CLOSED', `${method}: the simulator is closed`, {
      details: { method },
    })
  }
}
