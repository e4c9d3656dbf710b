/** Runs `brokerwire record`. */

import { optionError } from '../cli-error.ts'
import type { Run } from '../frame/definition.ts'
import type { OpenedStream } from '../listen/opened-stream.ts'
import { createPseudonyms } from '../record/pseudonyms.ts'
import { createLineWriter } from '../record/recorded-line.ts'
import { createRecordingFile } from '../record/recording-file.ts'
import { parseList } from '../settings/read-settings.ts'
import { type HandleItem, listenToStream, type StreamFlags } from './listen.ts'

interface RecordFlags extends StreamFlags {
  readonly to?: string
  readonly keepIds?: boolean
}

export const run: Run<RecordFlags> = async ({ flags, io, ...invocation }) => {
  const { to } = flags
  if (to === '') throw optionError('--to', 'must be the name of a new file; received an empty string')
  const secrets: string[] = []
  const recordingIo = {
    ...io,
    keepSecret(secret: string) {
      secrets.push(secret)
      io.keepSecret(secret)
    },
  }
  const counts = { event: 0, undecodable: 0, notice: 0 }
  let close = (): void => {}
  try {
    const begin = ({ stream, connection, settings }: OpenedStream): HandleItem => {
      const accounts = parseList(settings.accounts?.value ?? '')
      const pseudonyms = flags.keepIds ? undefined : createPseudonyms(connection.appSecret.reveal(), accounts)
      const formatLine = createLineWriter({ pseudonyms, secrets })
      const file = createRecordingFile(String(to))
      close = () => {
        file.close()
        const undecodable = counts.undecodable === 0 ? '' : `, ${counts.undecodable} undecodable`
        io.err(
          `${to}: ${pluralize(counts.event, 'event')}${undecodable}, ${pluralize(counts.notice, 'notice')}`,
        )
      }
      return (item) => {
        file.line(formatLine(stream, item))
        counts[item.type] += 1
      }
    }
    const missing = to === undefined ? [{ name: 'recording', flag: '--to <file>' }] : []
    return await listenToStream({ ...invocation, flags, io: recordingIo }, begin, missing)
  } finally {
    close()
  }
}

const pluralize = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
