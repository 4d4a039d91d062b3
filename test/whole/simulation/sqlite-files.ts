/**
 * The files of SQLite's WebAssembly build, on simulated disks: a file system of SQLite's own
 * interface (`sqlite3_vfs`), with locks and the memory that connections to one write-ahead log
 * share.
 */
// deno-lint-ignore-file no-explicit-any -- the build's own types leave its C interface open
import start from "@sqlite.org/sqlite-wasm";
import { type Disk, DiskFailed, Stopped } from "./disk.ts";

/** The build: its C interface, its memory, and how file systems are made known to it. */
export const { capi, wasm, vfs } = await start() as any;
/** The name of this file system. */
export const VFS = "simulated";
/** What the build does not name. */
const SHM_UNLOCK = 1;
const SHM_SHARED = 4;

let disk: Disk | undefined;

/** The disk on which files are opened from now on; what is open stays on its own. */
export function useDisk(next: Disk): void {
  disk = next;
  shared.clear();
}

const realStat = Deno.statSync;
/** Whoever asks whether the files are still at their places finds those of the disk. */
Deno.statSync = (path) => {
  const name = String(path);
  const isShared = name.endsWith("-shm");
  const found = disk?.stat(isShared ? name.slice(0, -"-shm".length) : name);
  if (!found) return realStat(path);
  const { inode, size } = found;
  return { ...realStat("/"), isFile: true, isDirectory: false, dev: 0, ino: inode, size };
};

let isWrittenBeside = true;
/** Whether what is written to files beside SQLite reaches them. */
export function writeBeside(isWritten: boolean): void {
  isWrittenBeside = isWritten;
}

const realOpen = Deno.openSync;
/** Whoever opens a file of the disk beside SQLite has what that one has. */
Deno.openSync = (path, options) => {
  const name = String(path);
  const own = disk;
  if (!own?.has(name)) return realOpen(path, options);
  let at = 0;
  const close = () => {};
  const file = {
    seekSync: (to: number) => at = to,
    readSync: (into: Uint8Array) => {
      const length = Math.min(into.length, own.size(name) - at);
      if (length <= 0) return null;
      own.read(name, at, into.subarray(0, length));
      at += length;
      return length;
    },
    writeSync: (bytes: Uint8Array) => {
      if (isWrittenBeside) own.write(name, at, bytes);
      at += bytes.length;
      return bytes.length;
    },
    syncSync: () => own.sync(name),
    close,
    [Symbol.dispose]: close,
  };
  // as: what those who are simulated use of it.
  return file as unknown as Deno.FsFile;
};

/** That disk. Throws where there is none yet. */
export function current(): Disk {
  if (!disk) throw new Error("there is no disk");
  return disk;
}

/** A file as one connection has it open. */
interface Handle {
  disk: Disk;
  name: string;
  lock: number;
  temporary: boolean;
  /** Its bits: which of the eight locks of shared memory it holds, and how. */
  shm: { shared: number; exclusive: number } | undefined;
}
const handles = new Map<number, Handle>();

/** What connections to one file share: the memory beside a write-ahead log. */
interface Shared {
  regions: number[];
  users: Set<Handle>;
}
const shared = new Map<string, Shared>();
let temporaries = 0;

const handleOf = (file: number): Handle => {
  const handle = handles.get(file);
  if (!handle) throw new Error("the file is not open");
  return handle;
};

const othersOf = (handle: Handle) =>
  [...handles.values()].filter((one) =>
    one !== handle && one.disk === handle.disk && one.name === handle.name
  );

/** What the disk does, as SQLite's result code; `whenFailed`: where it says that it can't. */
function tried(work: () => number | void, whenFailed: number): number {
  try {
    return work() ?? 0;
  } catch (error) {
    if (error instanceof DiskFailed && error.fault === "full") return capi.SQLITE_FULL;
    if (error instanceof DiskFailed || error instanceof Stopped) return whenFailed;
    throw error;
  }
}

/** A part of the build's memory, until it grows. */
export const bytesAt = (address: number, length: number): Uint8Array =>
  wasm.heap8u().subarray(address, address + length);

const io = {
  xClose: (file: number) => {
    const handle = handleOf(file);
    handles.delete(file);
    if (handle.temporary && !handle.disk.stopped) handle.disk.delete(handle.name, false);
    return 0;
  },
  xRead: (file: number, into: number, length: number, at: bigint) =>
    tried(() => {
      const { disk, name } = handleOf(file);
      const got = disk.read(name, Number(at), bytesAt(into, length));
      return got < length ? capi.SQLITE_IOERR_SHORT_READ : 0;
    }, capi.SQLITE_IOERR_READ),
  xWrite: (file: number, from: number, length: number, at: bigint) =>
    tried(() => {
      const { disk, name } = handleOf(file);
      disk.write(name, Number(at), bytesAt(from, length));
    }, capi.SQLITE_IOERR_WRITE),
  xTruncate: (file: number, size: bigint) =>
    tried(() => {
      const { disk, name } = handleOf(file);
      disk.truncate(name, Number(size));
    }, capi.SQLITE_IOERR_TRUNCATE),
  xSync: (file: number) =>
    tried(() => {
      const { disk, name } = handleOf(file);
      disk.sync(name);
    }, capi.SQLITE_IOERR_FSYNC),
  xFileSize: (file: number, size: number) =>
    tried(() => {
      const { disk, name } = handleOf(file);
      wasm.poke(size, BigInt(disk.size(name)), "i64");
    }, capi.SQLITE_IOERR_FSTAT),
  xLock: (file: number, level: number) => {
    const handle = handleOf(file);
    const others = othersOf(handle);
    const isFree = level === capi.SQLITE_LOCK_SHARED
      ? others.every(({ lock }) => lock < capi.SQLITE_LOCK_PENDING)
      : level === capi.SQLITE_LOCK_RESERVED
      ? others.every(({ lock }) => lock < capi.SQLITE_LOCK_RESERVED)
      : others.every(({ lock }) => lock === capi.SQLITE_LOCK_NONE);
    if (!isFree) return capi.SQLITE_BUSY;
    handle.lock = Math.max(handle.lock, level);
    return 0;
  },
  xUnlock: (file: number, level: number) => {
    const handle = handleOf(file);
    handle.lock = Math.min(handle.lock, level);
    return 0;
  },
  xCheckReservedLock: (file: number, answer: number) => {
    const isReserved = othersOf(handleOf(file)).some(({ lock }) => lock >= 2);
    wasm.poke(answer, isReserved ? 1 : 0, "i32");
    return 0;
  },
  xFileControl: () => capi.SQLITE_NOTFOUND,
  xSectorSize: () => 4096,
  xDeviceCharacteristics: () => capi.SQLITE_IOCAP_POWERSAFE_OVERWRITE,
  xShmMap: (file: number, region: number, size: number, extend: number, address: number) => {
    const handle = handleOf(file);
    if (handle.disk.stopped) return capi.SQLITE_IOERR_SHMMAP;
    const memory = shared.get(handle.name) ?? { regions: [], users: new Set() };
    shared.set(handle.name, memory);
    memory.users.add(handle);
    handle.shm ??= { shared: 0, exclusive: 0 };
    if (extend) {
      while (memory.regions.length <= region) {
        const pointer = wasm.alloc(size);
        bytesAt(pointer, size).fill(0);
        memory.regions.push(pointer);
      }
    }
    wasm.poke(address, memory.regions[region] ?? 0, "*");
    return 0;
  },
  xShmLock: (file: number, offset: number, n: number, flags: number) => {
    const handle = handleOf(file);
    const held = handle.shm;
    if (!held) return capi.SQLITE_IOERR_SHMLOCK;
    const mask = (1 << (offset + n)) - (1 << offset);
    if (flags & SHM_UNLOCK) {
      held.shared &= ~mask;
      held.exclusive &= ~mask;
      return 0;
    }
    const others = othersOf(handle).flatMap(({ shm }) => shm ?? []);
    const isShared = (flags & SHM_SHARED) !== 0;
    if (others.some((one) => (one.exclusive | (isShared ? 0 : one.shared)) & mask)) {
      return capi.SQLITE_BUSY;
    }
    if (isShared) held.shared |= mask;
    else held.exclusive |= mask;
    return 0;
  },
  xShmBarrier: () => {},
  xShmUnmap: (file: number) => {
    const handle = handleOf(file);
    handle.shm = undefined;
    const memory = shared.get(handle.name);
    if (!memory?.users.delete(handle) || memory.users.size > 0) return 0;
    for (const region of memory.regions) wasm.dealloc(region);
    shared.delete(handle.name);
    return 0;
  },
};

/** Moments as the simulation has them, in milliseconds since 1970: SQLite asks for the day. */
const JULIAN_1970_MS = 210866760000000n;

const ioStruct = new capi.sqlite3_io_methods();
ioStruct.$iVersion = 2;
const vfsStruct = new capi.sqlite3_vfs();
vfsStruct.$iVersion = 2;
vfsStruct.$szOsFile = capi.sqlite3_file.structInfo.sizeof;
vfsStruct.$mxPathname = 1024;
vfs.installVfs({
  io: { struct: ioStruct, methods: io },
  vfs: {
    struct: vfsStruct,
    name: VFS,
    methods: {
      xOpen: (_: number, namePointer: number, file: number, flags: number, shown: number) => {
        const temporary = namePointer === 0;
        const name = temporary ? `temporary-${++temporaries}` : wasm.cstrToJs(namePointer);
        const create = temporary || (flags & capi.SQLITE_OPEN_CREATE) !== 0;
        const code = tried(
          () => current().open(name, create) ? 0 : capi.SQLITE_CANTOPEN,
          capi.SQLITE_CANTOPEN,
        );
        if (code !== 0) return code;
        handles.set(file, { disk: current(), name, lock: 0, temporary, shm: undefined });
        new capi.sqlite3_file(file).$pMethods = ioStruct.pointer;
        if (shown !== 0) wasm.poke(shown, flags, "i32");
        return 0;
      },
      xDelete: (_: number, namePointer: number, durably: number) =>
        tried(
          () =>
            current().delete(wasm.cstrToJs(namePointer), durably !== 0)
              ? 0
              : capi.SQLITE_IOERR_DELETE_NOENT,
          capi.SQLITE_IOERR_DELETE,
        ),
      xAccess: (_: number, namePointer: number, __: number, answer: number) =>
        tried(() => {
          if (current().stopped) throw new Stopped();
          wasm.poke(answer, current().has(wasm.cstrToJs(namePointer)) ? 1 : 0, "i32");
        }, capi.SQLITE_IOERR_ACCESS),
      xFullPathname: (_: number, name: number, room: number, into: number) =>
        wasm.cstrncpy(into, name, room) < room ? 0 : capi.SQLITE_CANTOPEN,
      xRandomness: (_: number, length: number, into: number) => {
        crypto.getRandomValues(bytesAt(into, length));
        return length;
      },
      xSleep: (_: number, microseconds: number) => microseconds,
      xGetLastError: () => 0,
      xCurrentTime: (_: number, into: number) => {
        wasm.poke(into, Date.now() / 86400000 + 2440587.5, "double");
        return 0;
      },
      xCurrentTimeInt64: (_: number, into: number) => {
        wasm.poke(into, BigInt(Date.now()) + JULIAN_1970_MS, "i64");
        return 0;
      },
    },
  },
});
