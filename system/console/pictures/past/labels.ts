/** What a developer's keys are called, and under what they are filed, by the address's end. */
const apps: Readonly<Record<string, readonly [name: string, ...tags: string[]]>> = {
  "kettlequay.example": ["Counter screens", "shop", "display"],
  "nordlys.example": ["Nordlys fair pass", "partner"],
  "tabellone.example": ["Lobby boards", "display"],
  "hearth.example": ["Hallway displays", "display", "partner"],
  "cityhopper.example": ["Cityhopper app", "mobile", "partner"],
  "haltevrij.example": ["Village signs", "display"],
  "larkfield.example": ["Larkfield shop", "shop", "partner"],
  "tworivers.example": ["Delay study", "research"],
  "bairrolabs.example": ["Tram countdown", "press"],
  "walsh-access.example": ["Departures read aloud", "mobile"],
};

/** None for a developer whose keys have no name. */
export function labelsOf(email: string, plan: string) {
  const [name, ...tags] = apps[email.split("@")[1] ?? ""] ?? [];
  const isTest = /free|sandbox/i.test(plan);
  return name === undefined
    ? {}
    : { name: isTest ? `${name}, trial` : name, environment: isTest ? "test" : "production", tags };
}
