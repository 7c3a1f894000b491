"""Makes the PDFs of report libraries, and the hostile ones that need a library."""
import sys
from fpdf import FPDF
from PIL import Image
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DictionaryObject, NameObject, TextStringObject
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas
from reportlab.platypus import SimpleDocTemplate, Table

out = sys.argv[1] + "/"
rows = [("Permit number", "NL-204"), ("Class", "CE"), ("Class of vehicle", "Truck"), ("Valid until", "01/05/2031")]

c = canvas.Canvas(out + "reportlab-lines.pdf", pagesize=A4)
c.drawString(72, 780, "Work permit")
for i, (label, value) in enumerate(rows):
    c.drawString(72, 740 - 20 * i, f"{label}: {value}")
c.save()

SimpleDocTemplate(out + "reportlab-header.pdf").build([Table([[r[0] for r in rows], [r[1] for r in rows]])])

c = canvas.Canvas(out + "reportlab-leaders.pdf", pagesize=A4)
for i, (label, value) in enumerate(rows):
    c.drawString(72, 740 - 20 * i, f"{label} ........................ {value}")
c.showPage()
c.drawString(72, 700, "Fee  EUR 1.234,56")
c.save()

c = canvas.Canvas(out + "reportlab-turned.pdf", pagesize=A4)
c.rotate(90)
for i, (label, value) in enumerate(rows):
    c.drawString(72, -100 - 20 * i, label)
    c.drawString(300, -100 - 20 * i, value)
c.save()

# every letter placed by itself
c = canvas.Canvas(out + "reportlab-letters.pdf", pagesize=A4)
c.setFont("Courier", 11)
for i, (label, value) in enumerate(rows):
    for j, letter in enumerate(f"{label}: {value}"):
        if letter != " ":
            c.drawString(72 + j * 6.6, 740 - 20 * i, letter)
c.save()

p = FPDF()
p.add_page()
p.set_font("helvetica", size=12)
for label, value in rows:
    p.cell(50, 8, label, border=1)
    p.cell(60, 8, value, border=1, new_x="LMARGIN", new_y="NEXT")
p.output(out + "fpdf2-table.pdf")

c = canvas.Canvas(out + "empty-form.pdf", pagesize=A4)
for i, name in enumerate(["permit.number", "Class", "validUntil"]):
    c.drawString(72, 745 - 30 * i, ["Number", "Class", "Valid until"][i])
    c.acroForm.textfield(name=name, tooltip=["Permit number", "Class", "Valid until"][i], x=200, y=740 - 30 * i, width=200, height=20)
c.save()
w = PdfWriter()
w.append(PdfReader(out + "empty-form.pdf"))
w.update_page_form_field_values(w.pages[0], {"permit.number": "NL-204", "Class": "CE", "validUntil": "2031-05-01"})
w.write(out + "filled-form.pdf")

zones = {
    "td3": ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10"],
    "td2": ["I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6"],
    "td1": ["I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6", "ERIKSSON<<ANNA<MARIA<<<<<<<<<<"],
    "td3-wrong": ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C46UTO7408122F1204159ZE184226B<<<<<10"],
}
for name, zone in zones.items():
    c = canvas.Canvas(out + f"mrz-{name}.pdf", pagesize=A4)
    c.drawString(72, 780, "Utopia Passport")
    c.setFont("Courier", 10)
    for i, line in enumerate(zone):
        c.drawString(40, 700 - 14 * i, line)
    c.save()

Image.new("RGB", (40, 30), (200, 30, 30)).save(out + "photo.jpg")
Image.new("RGB", (40, 30), (30, 30, 200)).save(out + "photo.png")
c = canvas.Canvas(out + "scan.pdf", pagesize=A4)
c.drawImage(out + "photo.jpg", 72, 500, 300, 200)
c.save()

for name, password in (("locked", "secret"), ("restricted", "")):
    w = PdfWriter()
    w.append(PdfReader(out + "reportlab-lines.pdf"))
    w.encrypt(password, "owner", algorithm="AES-256")
    w.write(out + f"{name}.pdf")
w = PdfWriter()
w.append(PdfReader(out + "reportlab-lines.pdf"))
w.root_object[NameObject("/OpenAction")] = DictionaryObject({
    NameObject("/S"): NameObject("/JavaScript"), NameObject("/JS"): TextStringObject("app.alert('hello');")})
w.write(out + "javascript.pdf")
