// Installs the released clients, each into a folder of its own: their dependencies do not mix.

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const CLIENTS = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).dependencies
const CACHE =
  process.env.JSONL_SESSION_REAL_CACHE ?? join(homedir(), '.cache', 'jsonl-session-real')
const INSTALL_MS_MAX = 600_000

/** The package and the version that `package.json` pins for a client. */
export function pinnedPackage(name) {
  const spec = CLIENTS[name]
  if (spec === undefined) throw new Error(`${name} is not in test/real/package.json`)
  const at = spec.lastIndexOf('@')
  return { packageName: spec.slice('npm:'.length, at), version: spec.slice(at + 1) }
}

/** Installs a client unless it is in the cache; returns the folder of its package. */
export async function installClient(name) {
  const { packageName, version } = pinnedPackage(name)
  const folder = join(CACHE, `${name}@${version}`)
  const installed = join(folder, 'node_modules', ...packageName.split('/'))
  if (existsSync(folder)) return installed
  // Renamed when it is whole: a run that was interrupted leaves no half client.
  const temporary = `${folder}.${process.pid}`
  mkdirSync(temporary, { recursive: true })
  writeFileSync(join(temporary, 'package.json'), '{"private":true}\n')
  try {
    const args = ['install', '--no-audit', '--no-fund', `${packageName}@${version}`]
    await promisify(execFile)('npm', args, { cwd: temporary, timeout: INSTALL_MS_MAX })
    renameSync(temporary, folder)
  } catch (error) {
    // Another run may have installed the same version meanwhile.
    if (!existsSync(folder))
      throw new Error(`npm could not install ${packageName}@${version}: ${error.message}`)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
  return installed
}

/**
 * Unpacks a client that is published as a bundle, with only those of its dependencies that the bundle loads, at
 * the versions it names; returns the folder of its package. `npm install` fails if any version that a
 * package names is not on the registry, even one that the bundle does not load.
 */
export async function unpackClient(name, loaded) {
  const { packageName, version } = pinnedPackage(name)
  const folder = join(CACHE, `${name}@${version}`)
  const unpacked = join(folder, 'package')
  if (existsSync(folder)) return unpacked
  const run = promisify(execFile)
  const temporary = `${folder}.${process.pid}`
  mkdirSync(temporary, { recursive: true })
  try {
    const { stdout } = await run('npm', ['pack', '--json', `${packageName}@${version}`], {
      cwd: temporary,
      timeout: INSTALL_MS_MAX,
    })
    await run('tar', ['-xzf', JSON.parse(stdout)[0].filename], { cwd: temporary })
    const { dependencies } = JSON.parse(
      readFileSync(join(temporary, 'package', 'package.json'), 'utf8'),
    )
    writeFileSync(join(temporary, 'package.json'), '{"private":true}\n')
    const wanted = loaded.map((dependency) => `${dependency}@${dependencies[dependency]}`)
    await run('npm', ['install', '--no-audit', '--no-fund', ...wanted], {
      cwd: temporary,
      timeout: INSTALL_MS_MAX,
    })
    renameSync(temporary, folder)
  } catch (error) {
    if (!existsSync(folder))
      throw new Error(`npm could not pack ${packageName}@${version}: ${error.message}`)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
  return unpacked
}

/** The path of a Node 22, which some clients need. */
export async function installNode22() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath
  return join(await installClient('node22'), 'bin', 'node')
}
