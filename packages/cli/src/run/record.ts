/** Runs `brokerwire record`. */

import { optionError } from '../cli-error.ts'
import type { Run } from '../frame/definition.ts'
import { createPseudonyms } from '../record/pseudonyms.ts'
import { createLineWriter } from '../record/recorded-line.ts'
import { createRecordingFile } from '../record/recording-file.ts'
import { listOf } from '../settings/read-settings.ts'
import { type Followed, type FollowFlags, follow, type TakeItem } from './listen.ts'

interface RecordFlags extends FollowFlags {
  readonly to?: string
  readonly keepIds?: boolean
}

export const run: Run<RecordFlags> = async ({ flags, io, ...invocation }) => {
  const { to } = flags
  if (to === '') throw optionError('--to', 'must be the name of a new file; received an empty string')
  const secrets: string[] = []
  const keeping = {
    ...io,
    keepSecret(secret: string) {
      secrets.push(secret)
      io.keepSecret(secret)
    },
  }
  const counts = { event: 0, undecodable: 0, notice: 0 }
  let close = (): void => {}
  try {
    const begin = ({ stream, connection, settings }: Followed): TakeItem => {
      const accounts = listOf(settings.accounts?.value ?? '')
      const pseudonyms = flags.keepIds ? undefined : createPseudonyms(connection.appSecret.reveal(), accounts)
      const lineOf = createLineWriter({ pseudonyms, secrets })
      const file = createRecordingFile(String(to))
      close = () => {
        file.close()
        const undecodable = counts.undecodable === 0 ? '' : `, ${counts.undecodable} undecodable`
        io.err(`${to}: ${counted(counts.event, 'event')}${undecodable}, ${counted(counts.notice, 'notice')}`)
      }
      return (item) => {
        file.line(lineOf(stream, item))
        counts[item.type] += 1
      }
    }
    const missing = to === undefined ? [{ name: 'recording', flag: '--to <file>' }] : []
    return await follow({ ...invocation, flags, io: keeping }, begin, missing)
  } finally {
    close()
  }
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
