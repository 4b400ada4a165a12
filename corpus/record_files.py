"""Files that the servers of several plans find in their home, made without anything but Python."""

import io
import json
import pathlib
import sqlite3
import struct
import tempfile
import wave
import zipfile
import zlib

SALES = "date,region,product,units,price\n2026-01-05,north,kettle,12,24.90\n2026-01-06,south,toaster,7,31.50\n" \
        "2026-01-06,north,toaster,,31.50\n2026-01-09,east,kettle,3,24.90\n"
TODO = "# Launch\n\n- [x] write the brief\n- [ ] call the printer\n- [ ] order labels\n"
LETTER = "# Offer\n\nDear customer,\n\nwe **gladly** send you our prices:\n\n| item | price |\n|---|---|\n| kettle | 24.90 |\n\n" \
         "1. delivery in May\n2. payment in 14 days\n"
SCRIPT = "def mean(values):\n    return sum(values) / len(values)\n\n\ndef main():\n    data = [3, 5, 10]\n" \
         "    total = sum(data)\n    print('mean', mean(data), 'total', total)\n    print(mean([]))\n\n\nmain()\n"


def database(statements):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "file.db"
        with sqlite3.connect(path) as connection:
            connection.executescript(statements)
        connection.close()
        return path.read_bytes()


SHOP = database("""
    create table customers (id integer primary key, name text not null, city text);
    create table orders (id integer primary key, customer integer references customers(id), total real check (total >= 0));
    insert into customers values (1, 'Ada', 'London'), (2, 'Linus', 'Helsinki'), (3, 'Grace', null);
    insert into orders values (1, 1, 19.5), (2, 1, 7.25), (3, 2, 110);
    create view big_orders as select * from orders where total > 50;
""")


def picture(width=16, height=12):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(v for x in range(width) for v in (x * 15, y * 20, 90)) for y in range(height))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) \
        + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def sound(seconds=1, rate=8000):
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setparams((1, 2, rate, 0, "NONE", ""))
        out.writeframes(b"".join(struct.pack("<h", (i * 640) % 20000 - 10000) for i in range(seconds * rate)))
    return file.getvalue()


def pdf(*pages):
    objects = ["<</Type/Catalog/Pages 2 0 R>>",
               f"<</Type/Pages/Count {len(pages)}/Kids[{' '.join(f'{4 + 2 * i} 0 R' for i in range(len(pages)))}]>>",
               "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    for i, text in enumerate(pages):
        content = f"BT /F1 18 Tf 72 720 Td ({text}) Tj ET"
        objects.append(f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>/Contents {5 + 2 * i} 0 R>>")
        objects.append(f"<</Length {len(content)}>>stream\n{content}\nendstream")
    body, starts = "%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        starts.append(len(body))
        body += f"{number} 0 obj{text}endobj\n"
    table = "".join(f"{start:010} 00000 n \n" for start in starts)
    return (body + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer<</Size {len(objects) + 1}/Root 1 0 R>>\n"
            f"startxref\n{len(body)}\n%%EOF\n").encode()


def docx(*paragraphs):
    file, word = io.BytesIO(), "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    kind, relation = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml", \
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="{kind}"/></Types>',
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="rId1" Type="{relation}" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{word}"><w:body>'
        + "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs) + "</w:body></w:document>",
    }
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name), '<?xml version="1.0" encoding="UTF-8"?>' + text)
    return file.getvalue()


def notebook(*cells):
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
        {"id": f"c{i}", "cell_type": kind, "metadata": {}, "source": text}
        | ({"outputs": [], "execution_count": None} if kind == "code" else {}) for i, (kind, text) in enumerate(cells)]})
