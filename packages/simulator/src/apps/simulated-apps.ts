/** All apps, by name or app key. */
import { receivedName } from '@brokerwire/core/internal'
import { argumentFailure } from '../simulator-error.ts'
import type { App, Apps } from './app.ts'
import { createSimulatedApp, type SimulatedApp, type SimulatedAppContext } from './simulated-app.ts'

export interface SimulatedApps {
  readonly first: SimulatedApp
  readonly all: readonly SimulatedApp[]
  /** @throws SimulatorError `SIMULATOR_ARGUMENT_INVALID` */
  find(nameOrKey: string): SimulatedApp
}

export function createSimulatedApps(apps: Apps, context: SimulatedAppContext): SimulatedApps {
  const create = (app: App): SimulatedApp => createSimulatedApp(app, context)
  const [firstApp, ...others] = apps.all
  const first = create(firstApp)
  const all = [first, ...others.map(create)]
  return {
    first,
    all,
    find(nameOrKey) {
      const found = all.find(
        ({ name, credentials }) => name === nameOrKey || credentials.appKey === nameOrKey,
      )
      if (found !== undefined) return found
      const names = all.map(({ name }) => `'${name}'`).join(', ')
      throw argumentFailure('app', `one of ${names}, or an app key`, receivedName(nameOrKey))
    },
  }
}
