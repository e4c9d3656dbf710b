/** Requests of the page to the simulator. */
import { signal } from '@preact/signals'
import { keyHeaders } from './session.ts'
import type { ConsoleDiagnosis, ConsoleEvent, ConsoleOrderResponse } from './wire.ts'

/** The current status message. */
export const statusMessage = signal<{ readonly text: string; readonly isError: boolean } | undefined>(
  undefined,
)

/** Shows a status message at the foot of the page. */
export function showStatus(text: string, isError = false): void {
  statusMessage.value = { text, isError }
}

/**
 * Sends an action to the simulator, and shows its result as a status message.
 *
 * @param done - Returns the status message for a response.
 */
export async function sendAction(
  call: string,
  body: object,
  done: (answer: Readonly<Record<string, unknown>>) => string,
): Promise<boolean> {
  const answer = await postCall(call, body)
  if (answer === undefined) return false
  showStatus(done(answer))
  return true
}

/**
 * Executes an operation on orders.
 * @returns The response of the service; `undefined` if the call failed, with the error as a status message.
 */
export async function executeOrder(
  app: string,
  operation: 'preview' | 'place' | 'replace' | 'cancel',
  body: object,
): Promise<ConsoleOrderResponse | undefined> {
  const answer = await postCall('order', { app, operation: `orders.${operation}`, body })
  return answer as ConsoleOrderResponse | undefined
}

/** Sends a call. @returns The response; `undefined` if the call fails, with the error as a status message. */
async function postCall(call: string, body: object): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const response = await fetch(`api/${call}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...keyHeaders() },
      body: JSON.stringify(body),
    })
    const answer = (await response.json()) as Readonly<Record<string, unknown>>
    if (response.ok) return answer
    showStatus(String(answer.message), true)
  } catch {
    showStatus('The simulator does not respond.', true)
  }
  return undefined
}

/** Fetches an event whose payload was cut in the feed. */
export async function fetchFullEvent({ log, app, index }: ConsoleEvent): Promise<ConsoleEvent | undefined> {
  const query = new URLSearchParams({ log, app, index: String(index) })
  const { event } = await getJson<{ readonly event?: ConsoleEvent }>(`event?${query}`)
  return event
}

/** Fetches the diagnosis of a request's signature. */
export async function fetchDiagnosis(index: number): Promise<ConsoleDiagnosis['diagnosis']> {
  return (await getJson<Partial<ConsoleDiagnosis>>(`request?index=${index}`)).diagnosis
}

async function getJson<T>(path: string): Promise<T> {
  const response = await fetch(`api/${path}`, { headers: keyHeaders() })
  return (await response.json()) as T
}
