/** Every command, in the order of the help. */
import type { CommandDefinition } from '../frame/definition.ts'
import { api } from './api.ts'
import { clientToken } from './client-token.ts'
import { completion } from './completion.ts'
import { config } from './config.ts'
import { decode } from './decode.ts'
import { demo } from './demo.ts'
import { doctor } from './doctor.ts'
import { help } from './help.ts'
import { listen } from './listen.ts'
import { record, replay } from './record.ts'
import { relay, replayDeadLetters } from './relay.ts'
import { request } from './request.ts'
import { sign } from './sign.ts'
import { signature } from './signature.ts'
import { simulate, simulateControl } from './simulate.ts'
import { token } from './token.ts'
import { vectors } from './vectors.ts'

/** The list from which program, documents and completion are generated. */
export const COMMANDS: readonly CommandDefinition[] = [
  demo,
  ...token,
  ...clientToken,
  doctor,
  request,
  api,
  listen,
  relay,
  replayDeadLetters,
  decode,
  record,
  replay,
  sign,
  ...signature,
  vectors,
  simulate,
  ...simulateControl,
  ...config,
  ...completion,
  help,
]
