/** What the page asks of the simulator. */
import { signal } from '@preact/signals'
import { keyHeaders } from './session.ts'
import type { ConsoleDiagnosis, ConsoleEvent } from './wire.ts'

/** What happened last, in words, for a person who sees it and one who hears it. */
export const said = signal<{ readonly text: string; readonly isError: boolean } | undefined>(undefined)

/** Says something at the foot of the page. */
export function say(text: string, isError = false): void {
  said.value = { text, isError }
}

/**
 * Asks for a change, and says what became of it.
 *
 * @param done - What to say; with the answer's number where there is one.
 */
export async function act(
  call: string,
  body: object,
  done: (answer: Readonly<Record<string, unknown>>) => string,
): Promise<boolean> {
  try {
    const response = await fetch(`api/${call}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...keyHeaders() },
      body: JSON.stringify(body),
    })
    const answer = (await response.json()) as Readonly<Record<string, unknown>>
    if (!response.ok) {
      say(String(answer.message), true)
      return false
    }
    say(done(answer))
    return true
  } catch {
    say('The simulator does not answer.', true)
    return false
  }
}

/** All of an event whose payload was cut. */
export async function wholeEvent({ log, app, index }: ConsoleEvent): Promise<ConsoleEvent | undefined> {
  const query = new URLSearchParams({ log, app, index: String(index) })
  const { event } = await look<{ readonly event?: ConsoleEvent }>(`event?${query}`)
  return event
}

/** What the check of a request's signature found. */
export async function diagnosisOf(index: number): Promise<ConsoleDiagnosis['diagnosis']> {
  return (await look<Partial<ConsoleDiagnosis>>(`request?index=${index}`)).diagnosis
}

async function look<T>(path: string): Promise<T> {
  const response = await fetch(`api/${path}`, { headers: keyHeaders() })
  return (await response.json()) as T
}
