/**
 * The record of `doctor --live`: JSON without secrets that can be published. The app key has a pseudonym, and
 * the ids of accounts and the secrets are replaced in every string of the service.
 */
import { escapeControlChars } from '@brokerwire/core'
import { createPseudonyms } from '../../record/pseudonyms.ts'
import { MAX_CALLS } from './calls.ts'
import type { Measurement } from './measure.ts'
import { QUESTIONS, type Question } from './questions.ts'

/** Version of the record. It changes if a reader of an earlier record could misread a later one. */
export const RECORD_SCHEMA = 1

/** Description of the service and of the run. */
export interface RecordContext {
  readonly date: Date
  readonly brokerwire: string
  readonly environment: string
  readonly region: string
  readonly requestsHost: string | undefined
  readonly eventsHost: string | undefined
  readonly isComplete: boolean
  readonly appKey: string
  readonly appSecret: string
  /** Strings that must not be in the record, such as the access token. */
  readonly secrets: readonly string[]
  /** Addresses of proxies, which must not be in the record either. */
  readonly proxies: readonly string[]
}

/** An answer in a record. */
interface RecordedAnswer {
  readonly question: Question
  /** `null` if the question was not answered. */
  readonly answer: string | Readonly<Record<string, string | number>> | null
  /** Why the question was not answered. */
  readonly reason?: string
  readonly how: string
  readonly requestIds: readonly string[]
}

/** The record. */
export interface LiveRecord {
  readonly schema: typeof RECORD_SCHEMA
  readonly date: string
  readonly brokerwire: string
  readonly environment: string
  readonly region: string
  readonly requestsHost: string | null
  readonly eventsHost: string | null
  /** Pseudonym of the app key: equal for all records with the same app key and app secret. */
  readonly app: string
  readonly calls: number
  readonly maxCalls: number
  /** Whether the command ran to its end. */
  readonly complete: boolean
  readonly answers: readonly RecordedAnswer[]
}

const MAX_CHARACTERS = 300
/** Shorter ids are not replaced, because they also occur in statuses and codes. */
const MIN_ID_CHARACTERS = 4

export function createRecord({ answers, calls, accounts }: Measurement, context: RecordContext): LiveRecord {
  const { date, brokerwire, environment, region, requestsHost = null, eventsHost = null } = context
  const pseudonyms = createPseudonyms(context.appSecret, accounts)
  const replacements: readonly (readonly [string, string])[] = [
    ...[context.appSecret, ...context.secrets].map((secret) => [secret, '[secret]'] as const),
    ...context.proxies.map((proxy) => [proxy, '[proxy]'] as const),
    ...[context.appKey, ...accounts].map((id) => [id, pseudonyms.pseudonymize(id)] as const),
  ]
  const clean = (text: string): string => {
    let result = text
    // The longest one first, because one may contain another.
    for (const [from, to] of [...replacements].sort(([one], [other]) => other.length - one.length))
      if (from.length >= MIN_ID_CHARACTERS) result = result.replace(ignoringCase(from), () => to)
    return escapeControlChars(result, MAX_CHARACTERS)
  }
  const cleanAnswer = (value: Exclude<RecordedAnswer['answer'], null>): RecordedAnswer['answer'] =>
    typeof value === 'string'
      ? clean(value)
      : Object.fromEntries(
          Object.entries(value).map(([name, one]) => [
            clean(name),
            typeof one === 'string' ? clean(one) : one,
          ]),
        )
  return {
    schema: RECORD_SCHEMA,
    date: date.toISOString(),
    brokerwire,
    environment,
    region,
    requestsHost,
    eventsHost,
    app: pseudonyms.pseudonymize(context.appKey),
    calls,
    maxCalls: MAX_CALLS,
    complete: context.isComplete,
    answers: answers.map(({ question, decision, requestIds }) => ({
      question,
      ...('answer' in decision
        ? { answer: cleanAnswer(decision.answer) }
        : { answer: null, reason: clean(decision.reason) }),
      how: QUESTIONS[question],
      requestIds: requestIds.map(clean),
    })),
  }
}

/** Matches a string in any case, because a service or a host may change it. */
const ignoringCase = (text: string): RegExp => new RegExp(text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'gi')

const COLUMN = 22

/** Returns the record as lines for people. */
export function recordLines(record: LiveRecord): readonly string[] {
  const { answers, schema, complete, calls, maxCalls, requestsHost, eventsHost, ...head } = record
  const line = (name: string, text: string): string => `${name.padEnd(COLUMN)}${text}`
  const shown = (answer: RecordedAnswer['answer']): string =>
    typeof answer === 'string' || answer === null
      ? String(answer)
      : Object.entries(answer)
          .map(([name, value]) => `${name}: ${value}`)
          .join(', ')
  return [
    line('record', `schema ${schema}, ${complete ? 'complete' : 'stopped before its end'}`),
    ...Object.entries(head).map(([name, value]) => line(name, String(value))),
    line('hosts', `${requestsHost ?? 'unknown'}, ${eventsHost ?? 'unknown'}`),
    line('calls', `${calls} of at most ${maxCalls}`),
    '',
    ...answers.flatMap(({ question, answer, reason, how, requestIds }) => [
      line(question, answer === null ? `not answered: ${reason}` : shown(answer)),
      line('', `from ${how}`),
      ...(requestIds.length === 0 ? [] : [line('', `request ids: ${requestIds.join(', ')}`)]),
    ]),
  ]
}
