#!/usr/bin/env python3
"""Writes what is linked into the program, as SPDX 2.3 and CycloneDX: the Swift packages, Swift's runtime with ICU, and the
JavaScript libraries of the page, which Debian packages. `deploy/release` merges it with Debian's part.

Usage: deploy/sbom.py VERSION SWIFT_VERSION TIMESTAMP PAGE.js OUTPUT (.spdx.json and .cdx.json are added)"""
import json
import re
import sys
import uuid

version, swift, timestamp, page, output = sys.argv[1:]

# Of each package: where it is and its licence, as its own LICENSE file has it.
SOURCES = {
    "grdb.swift": ("groue/GRDB.swift", "MIT"),
    "swift-argument-parser": ("apple/swift-argument-parser", "Apache-2.0"),
    "swift-async-algorithms": ("apple/swift-async-algorithms", "Apache-2.0"),
    "swift-collections": ("apple/swift-collections", "Apache-2.0"),
    "swift-configuration": ("apple/swift-configuration", "Apache-2.0"),
    "swift-log": ("apple/swift-log", "Apache-2.0"),
    "swift-service-lifecycle": ("swift-server/swift-service-lifecycle", "Apache-2.0"),
    "swift-system": ("apple/swift-system", "Apache-2.0"),
}

parts = [("swift-runtime", swift, "pkg:github/swiftlang/swift@" + swift, "Apache-2.0 WITH Swift-exception")]
for line in open("deploy/swift-packages.txt"):
    if line.startswith("#") or not line.strip():
        continue
    name, number = line.split()
    place, licence = SOURCES[name]
    parts.append((name, number, f"pkg:swift/github.com/{place}@{number}", licence))
banner = re.match(r"// stridebus, with Debian's (.*)", open(page).readline())
for library in banner.group(1).split("; "):
    name, number = library.split()
    parts.append((name, number, f"pkg:deb/debian/{name}@{number}?arch=all", "MIT"))


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


root = f"pkg:github/stridebus/stridebus@{version}"
number = uuid.uuid5(uuid.NAMESPACE_URL, root + timestamp)
spdx = {
    "spdxVersion": "SPDX-2.3",
    "dataLicense": "CC0-1.0",
    "SPDXID": "SPDXRef-DOCUMENT",
    "name": "stridebus",
    "documentNamespace": f"https://stridebus.example/sbom/{number}",
    "creationInfo": {"created": timestamp, "creators": ["Tool: stridebus deploy/sbom.py"]},
    "packages": [
        {
            "SPDXID": identifier(name),
            "name": name,
            "versionInfo": number,
            "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION",
            "licenseDeclared": licence,
            "copyrightText": "NOASSERTION",
            "supplier": "NOASSERTION",
            "externalRefs": [
                {"referenceCategory": "PACKAGE_MANAGER", "referenceType": "purl", "referenceLocator": purl}
            ],
        }
        for name, number, purl, licence in [("stridebus", version, root, "Apache-2.0"), *parts]
    ],
    "relationships": [
        {
            "spdxElementId": "SPDXRef-DOCUMENT",
            "relationshipType": "DESCRIBES",
            "relatedSpdxElement": identifier("stridebus"),
        },
        *(
            {
                "spdxElementId": identifier("stridebus"),
                "relationshipType": "DEPENDS_ON",
                "relatedSpdxElement": identifier(name),
            }
            for name, *_ in parts
        ),
    ],
}
cyclonedx = {
    "bomFormat": "CycloneDX",
    "specVersion": "1.6",
    "serialNumber": f"urn:uuid:{number}",
    "version": 1,
    "metadata": {
        "timestamp": timestamp,
        "component": {
            "type": "application", "bom-ref": root, "name": "stridebus", "version": version, "purl": root,
            "licenses": [{"expression": "Apache-2.0"}],
        },
    },
    "components": [
        {
            "type": "library", "bom-ref": purl, "name": name, "version": number, "purl": purl,
            "licenses": [{"expression": licence}],
        }
        for name, number, purl, licence in parts
    ],
    "dependencies": [
        {"ref": root, "dependsOn": [purl for _, _, purl, _ in parts]},
        *({"ref": purl} for _, _, purl, _ in parts),
    ],
}
for kind, document in (("spdx", spdx), ("cdx", cyclonedx)):
    with open(f"{output}.{kind}.json", "w") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
