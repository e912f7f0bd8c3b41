// Tells every module that is loaded, on stderr.

const Module = require('node:module')
const { writeSync } = require('node:fs')

const load = Module._load
Module._load = function tracedLoad(request, parent, isMain) {
  const file = Module._resolveFilename(request, parent, isMain)
  writeSync(2, `loads ${file}\n`)
  return load.call(this, request, parent, isMain)
}

const vm = require('node:vm')

vm.Script = class TracedScript extends vm.Script {
  constructor(text, options) {
    writeSync(2, `loads ${options.filename}\n`)
    super(text, options)
  }
}
