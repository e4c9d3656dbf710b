/** Starts and stops the scenario of a simulator. If a scenario is started, the previous one is stopped. */
import { integer } from '@brokerwire/core/internal'
import type { SimulatorSettings } from '../options.ts'
import { readScenario } from '../parse-options.ts'
import type { Simulator } from '../simulator-api.ts'
import { argumentFailure, readArguments } from '../simulator-error.ts'
import { runScenario, type ScenarioRun, type ScenarioTarget } from './runner.ts'
import { createNamedScenario } from './scenario.ts'

type PlayerSettings = Pick<SimulatorSettings, 'clock' | 'scenario' | 'scenarioIntervalMs'>

export class ScenarioPlayer {
  readonly #settings: PlayerSettings
  readonly #target: ScenarioTarget
  #run: ScenarioRun | undefined

  constructor(settings: PlayerSettings, target: ScenarioTarget) {
    this.#settings = settings
    this.#target = target
  }

  get running(): boolean {
    return this.#run?.running ?? false
  }

  readonly start: Simulator['startScenario'] = (
    scenario = this.#settings.scenario ?? 'lifecycles',
    given = {},
  ) => {
    const { clock, scenarioIntervalMs } = this.#settings
    const { intervalMs } = readArguments(given, ['intervalMs'])
    const wanted = readScenario(scenario) ?? 'lifecycles'
    const bounds = { min: 0, max: 86_400_000, default: scenarioIntervalMs }
    const everyMs = integer(bounds)(intervalMs, 'intervalMs', argumentFailure)
    const steps = typeof wanted === 'string' ? createNamedScenario(wanted, everyMs) : wanted
    // The running scenario is stopped only after validation, so that a rejected scenario does not stop it.
    this.#run?.stop()
    this.#run = runScenario(steps, this.#target, clock)
    return this.#run
  }

  readonly stop = (): void => this.#run?.stop()
}
