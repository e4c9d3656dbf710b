/** `brokerwire record` and `brokerwire replay`: record events of a stream in a file, and replay them. */
import { optionError } from '../cli-error.ts'
import type { CommandDefinition } from '../frame/definition.ts'
import { settingOptions } from '../frame/setting-options.ts'
import { EVENT_STREAMS } from '../listen/streams.ts'
import { receivedText } from '../suggestion.ts'
import { listen } from './listen.ts'

function readSpeed(text: string, flag: string): number | 'max' {
  if (text === 'max') return text
  const speed = Number(text)
  if (/^\d{1,7}(?:\.\d{1,3})?$/.test(text) && speed >= 0.001 && speed <= 1_000_000) return speed
  throw optionError(flag, `must be a number from 0.001 to 1000000, or max${receivedText(text)}`)
}

const accountOptions = settingOptions('accounts')
const accountFlags = accountOptions.map(({ flags }) => flags)
/**
 * Options of `listen` that also apply to recordings: market data is not recorded, and lines are always JSON.
 * `--accounts` are the ids that become pseudonyms, for every stream.
 */
const followOptions = [
  ...accountOptions,
  ...(listen.options ?? []).filter(
    ({ flags, of = EVENT_STREAMS }) =>
      flags !== '--json' &&
      !accountFlags.includes(flags) &&
      EVENT_STREAMS.some((stream) => of.includes(stream)),
  ),
]

export const record: CommandDefinition = {
  name: 'record',
  summary: 'write the events of a stream to a file, until stopped',
  details: [
    'The lines are those of `brokerwire listen --json`: schemas/listen.schema.json in this package. The file is a new one, for its owner alone.',
    'Secrets are removed. Identifiers of accounts, orders, applications and customers are replaced by pseudonyms in the frame, the payload and the decoded event. An identifier has the same pseudonym in all recordings with the same app secret. A payload that is no JSON, or in which too many ids begin alike, and fields that nobody knows, are left out, because ids cannot be found there. Amounts, symbols and times stay. --keep-ids keeps all of it.',
  ],
  args: [{ name: '<stream>', help: 'which events', choices: EVENT_STREAMS }],
  options: [
    { flags: '--to <file>', help: 'where the recording goes; needed' },
    { flags: '--keep-ids', help: 'keeps ids of accounts and orders; secrets go in any case' },
    ...followOptions,
  ],
  examples: [
    { does: 'a morning of order events', line: 'brokerwire record trade --to morning.jsonl --timeout 4h' },
    {
      does: 'a hundred module events, with all their ids',
      line: 'brokerwire record module --to events.jsonl --count 100 --keep-ids',
    },
  ],
  load: () => import('../run/record.ts'),
}

export const replay: CommandDefinition = {
  name: 'replay',
  summary: 'play a recording on a local service, and end',
  details: [
    'Plays the events of a file that `brokerwire record` or `brokerwire listen --json` wrote, with their payloads, ids, cursors and times. The file is checked first: of a broken one nothing is played, and line and field are named.',
    'With BROKERWIRE_CONTROL_URL and BROKERWIRE_CONTROL_TOKEN, which `brokerwire simulate` prints, on that service. Otherwise on one of its own, with the accounts of the recording: it prints the export lines, waits for the first subscription to each stream of the recording, plays, and ends.',
  ],
  args: [{ name: '<file>', help: 'the recording' }],
  options: [
    {
      flags: '--speed <n>',
      help: 'times as fast as it was recorded, such as 10 or 0.5, or max; default: 1',
      parse: readSpeed,
    },
    { flags: '--app <name>', help: 'name or key of an app of a running service; default: its first' },
  ],
  examples: [
    { does: 'a morning in a few minutes', line: 'brokerwire replay morning.jsonl --speed 60' },
    { does: 'all of it at once', line: 'brokerwire replay events.jsonl --speed max' },
  ],
  load: () => import('../run/replay.ts'),
}
