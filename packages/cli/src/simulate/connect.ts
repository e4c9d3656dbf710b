/** Finds a running `brokerwire simulate` by its environment variables. */
import { connectControl, isSimulatorError, type SimulatorControl } from '@brokerwire/simulator'
import { optionError } from '../cli-error.ts'
import type { Io } from '../io.ts'
import { OTHER_VARIABLES } from '../settings/settings.ts'

const HINT = 'Paste the lines that `brokerwire simulate` prints into this terminal'

/** @throws CliError `CLI_OPTION_INVALID`, which names the missing or invalid variable. */
export function connectToService({ env }: Pick<Io, 'env'>): SimulatorControl {
  const { controlUrl, controlToken } = OTHER_VARIABLES
  const { [controlUrl]: url = '', [controlToken]: token = '' } = env
  const missing = [...(url === '' ? [controlUrl] : []), ...(token === '' ? [controlToken] : [])]
  if (missing.length > 0) throw optionError(missing.join(' and '), `must be set. ${HINT}`)
  try {
    return connectControl({ url, token })
  } catch (error) {
    if (!isSimulatorError(error, 'SIMULATOR_ARGUMENT_INVALID')) throw error
    const isUrl = error.details.argument === 'url'
    const expected = isUrl
      ? 'an origin on this machine such as http://127.0.0.1:8080'
      : error.details.expected
    throw optionError(isUrl ? controlUrl : controlToken, `must be ${expected}. ${HINT}`)
  }
}
